"""What the rig is built from, one stage a file. A stage is built again exactly when what it declares as its inputs changes."""
