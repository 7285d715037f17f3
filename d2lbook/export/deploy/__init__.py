"""One folder of all that is published: the site and the formats beside it, for any static host or Git branch."""
