from .certificate import Certificate, Refused, certificate_from_json
from .checker import check_certificate
from .rules import read_rules

__all__ = [
    "Certificate",
    "Refused",
    "certificate_from_json",
    "check_certificate",
    "read_rules",
]
