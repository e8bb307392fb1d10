"""Forms of a report: Markdown, CSV and LaTeX, one HTML page, and charts as SVG.

What is in a report is decided above; here are the texts, escaped for each form.
"""

__all__: list[str] = []
