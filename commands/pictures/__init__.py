"""Pictures for people: one drawing of a scene and of a run in it, as SVG or PNG.

``picture`` puts it together, ``svg`` and ``png`` write it. A picture is shapes on paper (``shapes``) that
follow from a scene and the JSON of a record alone, so that `certify` can draw it again. The look may be
changed; texts of others stay texts, and equal input gives equal bytes.
"""

__all__: list[str] = []
