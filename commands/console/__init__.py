"""What the command line prints with: the terminal, escaping, stories of runs, trees and diagnostics."""
