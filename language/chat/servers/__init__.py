"""Chat models and how they are reached: servers, cassettes, budgets and the token meter."""
