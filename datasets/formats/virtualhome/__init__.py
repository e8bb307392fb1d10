"""VirtualHome environment graphs."""
