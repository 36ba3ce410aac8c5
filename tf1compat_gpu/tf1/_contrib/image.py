"""tf.contrib.image: projective transforms, by the operation that TensorFlow itself still has (ImageProjectiveTransformV2)."""

from __future__ import annotations

from typing import Any, Optional

import tensorflow.compat.v1 as tf

__all__ = [
    "transform",
    "rotate",
    "translate",
    "translations_to_projective_transforms",
    "angles_to_projective_transforms",
    "compose_transforms",
    "flat_transforms_to_matrices",
    "matrices_to_flat_transforms",
]


def _rows(values: Any, columns: int) -> Any:
    """One row or many, as a matrix."""
    values = tf.convert_to_tensor(values, dtype=tf.float32)
    return values[None] if values.get_shape().ndims == (0 if columns == 1 else 1) else values


def angles_to_projective_transforms(angles: Any, image_height: Any, image_width: Any, name: Optional[str] = None) -> Any:
    """Rotation about the centre by angles in radians, counterclockwise, as rows of eight numbers."""
    with tf.name_scope(name, "angles_to_projective_transforms"):
        angles = _rows(angles, 1)
        cosine, sine = tf.cos(angles), tf.sin(angles)
        height, width = image_height - 1, image_width - 1
        x = (width - (cosine * width - sine * height)) / 2.0
        y = (height - (sine * width + cosine * height)) / 2.0
        zeros = tf.zeros_like(angles)
        return tf.stack([cosine, -sine, x, sine, cosine, y, zeros, zeros], axis=1)


def translations_to_projective_transforms(translations: Any, name: Optional[str] = None) -> Any:
    """Shifts by (dx, dy) as rows of eight numbers."""
    with tf.name_scope(name, "translations_to_projective_transforms"):
        shifts = _rows(translations, 2)
        ones, zeros = tf.ones_like(shifts[:, 0]), tf.zeros_like(shifts[:, 0])
        return tf.stack([ones, zeros, -shifts[:, 0], zeros, ones, -shifts[:, 1], zeros, zeros], axis=1)


def flat_transforms_to_matrices(transforms: Any) -> Any:
    """Rows of eight numbers to 3 x 3 matrices."""
    flat = _rows(transforms, 8)
    return tf.reshape(tf.concat([flat, tf.ones([tf.shape(flat)[0], 1])], axis=1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: Any) -> Any:
    """3 x 3 matrices to rows of eight numbers."""
    flat = tf.reshape(transform_matrices, [-1, 9])
    return (flat / flat[:, 8:9])[:, :8]


def compose_transforms(*transforms: Any) -> Any:
    """One transform that is as good as several after each other."""
    if not transforms:
        raise ValueError("transforms cannot be empty")
    product = flat_transforms_to_matrices(transforms[0])
    for each in transforms[1:]:
        product = tf.matmul(product, flat_transforms_to_matrices(each))
    return matrices_to_flat_transforms(product)


def transform(images: Any, transforms: Any, interpolation: str = "NEAREST", output_shape: Any = None, name: Optional[str] = None) -> Any:
    """Images ([batch,] rows, columns [, channels]) under projective transforms; what lies outside is 0."""
    with tf.name_scope(name, "transform"):
        images = tf.convert_to_tensor(images)
        rank = images.get_shape().ndims
        if rank is None or not 2 <= rank <= 4:
            raise TypeError("Images should have rank between 2 and 4.")
        batch = images[None, :, :, None] if rank == 2 else images[None] if rank == 3 else images
        size = tf.shape(batch)[1:3] if output_shape is None else tf.convert_to_tensor(output_shape, tf.int32)
        found = tf.raw_ops.ImageProjectiveTransformV2(images=batch, transforms=_rows(transforms, 8), output_shape=size, interpolation=interpolation.upper())
        if output_shape is None:
            found.set_shape(batch.get_shape())
        return found[0, :, :, 0] if rank == 2 else found[0] if rank == 3 else found


def rotate(images: Any, angles: Any, interpolation: str = "NEAREST", name: Optional[str] = None) -> Any:
    """Images turned counterclockwise by angles in radians."""
    with tf.name_scope(name, "rotate"):
        images = tf.convert_to_tensor(images)
        rank = images.get_shape().ndims
        rows, columns = (0, 1) if rank in (2, 3) else (1, 2)
        shape = tf.cast(tf.shape(images), tf.float32)
        return transform(images, angles_to_projective_transforms(angles, shape[rows], shape[columns]), interpolation)


def translate(images: Any, translations: Any, interpolation: str = "NEAREST", name: Optional[str] = None) -> Any:
    """Images shifted by (dx, dy)."""
    with tf.name_scope(name, "translate"):
        return transform(images, translations_to_projective_transforms(translations), interpolation)
