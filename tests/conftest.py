"""Its place makes the helpers beside it importable by every test."""

import signal

# A shell starts background jobs with Ctrl-C ignored, and processes inherit that; tests that send it need it heard.
signal.signal(signal.SIGINT, signal.default_int_handler)
