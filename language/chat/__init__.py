"""Readers that ask a chat model: semantic search, prompts, goal writing and repair."""
