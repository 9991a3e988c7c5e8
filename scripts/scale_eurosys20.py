"""Simulates the universal constructions, and what they are compared with, on more cores than there are: swaps, the
queue and the sets of EuroSys'20, Figures 4 to 6. As scripts/scale.py.

Results: results/scale_eurosys20.csv, .txt, .png, .pdf and .svg.
"""

from __future__ import annotations

import sys

import scale
from scale_panels import EUROSYS20

if __name__ == "__main__":
    sys.exit(scale.main(EUROSYS20))
