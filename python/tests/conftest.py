"""What all tests share."""

import os
import signal

# scikit-learn checks input by the array API where this is set before scipy is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# Where a script starts the tests in the background SIGINT is ignored, and Python then raises no KeyboardInterrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
