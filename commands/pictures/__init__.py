"""Pictures and pages for people: one drawing of a scene and of a run in it, and one HTML file that plays it.

``picture`` puts the drawing together, ``svg`` and ``png`` write it, ``page`` puts it into a page beside what
``playback`` simulates. All follows from a scene and the JSON of a record alone, so that `certify` can draw a
picture again. The look may be changed; texts of others stay texts, and equal input gives equal bytes.
"""

__all__: list[str] = []
