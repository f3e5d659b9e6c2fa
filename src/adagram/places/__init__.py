"""Models that are not a folder of this machine: on the Hugging Face Hub, or packed in a zip or tar file."""
