from .certificate import Certificate, Refused, certificate_from_json
from .checker import check_certificate

__all__ = [
    "Certificate",
    "Refused",
    "certificate_from_json",
    "check_certificate",
]
