"""The scoring program: everything it needs is in the reference data."""

import sys

from holdfast.guard.adapters.codabench import main

sys.exit(main())
