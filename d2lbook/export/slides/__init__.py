"""Slides: reveal.js decks from the slide marks of the pages, one per page and framework."""
