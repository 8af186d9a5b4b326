"""How fast devchain is: engines against each other, and against any node at a URL."""
