"""What a book becomes: a site, notebooks."""
