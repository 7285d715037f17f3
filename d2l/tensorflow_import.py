"""Import TensorFlow without the notices that its C++ code prints before any log level can be set.

Printed on each import, they would stand at the top of every page. Other lines, such as errors about a driver,
are passed on. TensorFlow's Python code logs from warnings on: below that, MirroredStrategy reports each all-reduce.
"""

import logging
import os
import sys
import tempfile

NOTICES = (b"absl::InitializeLog() is called", b"oneDNN custom operations are on")


def import_quietly() -> None:
    """Import tensorflow and keras; what they write to file descriptor 2 is passed on but for `NOTICES`."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # warnings and errors only, from here on
    sys.stderr.flush()
    saved = os.dup(2)
    with tempfile.TemporaryFile() as written:
        os.dup2(written.fileno(), 2)
        try:
            import keras  # noqa: F401
            import tensorflow  # noqa: F401
        finally:
            sys.stderr.flush()
            os.dup2(saved, 2)
            os.close(saved)
            written.seek(0)
            for line in written:
                if not any(notice in line for notice in NOTICES):
                    os.write(2, line)


import_quietly()
if logging.getLogger("tensorflow").level < logging.WARNING:
    logging.getLogger("tensorflow").setLevel(logging.WARNING)
