from .document import Report, report_on
from .statistics import Interval, bootstrap, clopper_pearson, holm, mcnemar, share_of, sign_flip, wilson
from .tables import ReportTable

__all__ = [
    "Interval",
    "Report",
    "ReportTable",
    "bootstrap",
    "clopper_pearson",
    "holm",
    "mcnemar",
    "report_on",
    "share_of",
    "sign_flip",
    "wilson",
]
