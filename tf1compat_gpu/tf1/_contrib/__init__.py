"""Where the names of tf.contrib are today, and small stand-ins for some that have no other home.

`homes` is the table, `gone` says what became of the rest, `modules` makes the modules that programs import. Every
other file here is named as a module of tf.contrib and defines what it stands in for (its `__all__`).
"""
