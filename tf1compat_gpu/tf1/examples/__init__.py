"""tensorflow.examples, of which TensorFlow 2's wheels hold nothing: the tutorials that programs import."""
