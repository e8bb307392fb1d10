"""Independent judges that tests measure the product against: they share no step from a goal to a plan."""
