"""The website: articles of all frameworks' views in a template of ours, one directory published at a time."""
