"""What the keys of a profile's own section mean, for `explain`."""

from __future__ import annotations

from typing import Dict, NamedTuple, Tuple


class SettingFacts(NamedTuple):
    """A key of the profile section.

    Attributes:
        type: What may stand there, in words.
        text: What it does.
        traps: What goes wrong in practice.
        example: The key and a value, as YAML under `profile:`.
    """

    type: str
    text: str
    traps: Tuple[str, ...]
    example: str


SETTINGS: Dict[str, SettingFacts] = {
    "description": SettingFacts("text", "What the profile is for. It changes nothing.", (), "description: one product, four roles"),
    "extends": SettingFacts(
        "a path, or a list of paths",
        "Profiles that this one builds on, relative to its own file. Later ones win over earlier ones, and this file over all of them. Messages and maps are "
        "merged key by key, lists are replaced, and null takes an inherited value away. A `?` at the end makes a file optional, and `#name` picks a variant.",
        ("A circle of files is an error.", "false and 0 do override an inherited value."),
        'extends: [base.yaml, "hosts/${HOSTNAME}.yaml?"]',
    ),
    "environment": SettingFacts(
        "a map of variable names to text",
        "Environment variables to set before TensorFlow or CUDA reads them. A value that is set already wins, with a warning. "
        "One that comes too late to act is an error that says how to start the program instead.",
        ("It does not feed `${NAME}` in the profile itself.", "A CUDA_VISIBLE_DEVICES that is set may be narrowed, and is never widened or replaced."),
        "environment: {CUDA_DEVICE_ORDER: PCI_BUS_ID}",
    ),
    "gpu_per_process": SettingFacts(
        "local_rank",
        "Gives each process of a launcher (mpirun, srun, torchrun, Horovod) the GPU with the number of its local rank, by setting visible_device_list.",
        ("Without a launcher's variables there is no rank, which is an error.", "It can't stand together with visible_device_list."),
        "gpu_per_process: local_rank",
    ),
    "gpu_memory_limit": SettingFacts(
        "a size: 8GiB, 512MiB",
        "At most so much memory on each card: turned into per_process_gpu_memory_fraction with the card's own total, so that growth is kept.",
        (
            "It needs to ask NVML for the total, which the extra `nvml` installs.",
            "It can't stand together with per_process_gpu_memory_fraction or virtual_devices.",
        ),
        "gpu_memory_limit: 8GiB",
    ),
    "numerics": SettingFacts(
        "tf1",
        "Computes as TensorFlow 1.15 did: TF32 off on GPUs and oneDNN's reordered sums off on CPUs, both of which TensorFlow 2 switches on.",
        ("oneDNN is decided when TensorFlow is imported, so it has to be set before.",),
        "numerics: tf1",
    ),
    "variants": SettingFacts(
        "a map of names to profiles",
        "Overlays by name, merged over the rest of the file. One is chosen by train.yaml#ps, by --variant ps, or by the task type in TF_CONFIG.",
        (),
        "variants: {ps: {device_count: {GPU: 0}}, debug: {log_device_placement: true}}",
    ),
}
