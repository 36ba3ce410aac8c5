"""Code bases of TensorFlow 1: what they configure, where, and how they climb. Works without TensorFlow; Python 3.9 or later."""
