"""Writes small networks in ONNX whose outputs are known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIDE = 640
# The network looks at squares of this many pixels, 16 by 16 of them.
CELL = 40
# Every box has this width and height. Its middle is that of its square.
BOX = (60, 40)
LABELS = ("red", "blue")


def write_yolo(path: Path, version: int = 8, side: int = SIDE) -> Path:
    """A network that finds red and blue squares, with the output of YOLOv5 or YOLOv8.

    The confidence is the colour's share above the mean of the other two: 1 for pure red.
    """
    count = side // CELL
    y, x = np.mgrid[0:count, 0:count].reshape(2, -1) * CELL + CELL / 2
    boxes = np.stack([x, y, np.full(x.shape, BOX[0]), np.full(x.shape, BOX[1])])[None]
    colours = np.array([[1, -0.5, -0.5], [-0.5, -0.5, 1]]).reshape(2, 3, 1, 1)
    constants = {
        "boxes": boxes.astype(np.float32),
        "objectness": np.full((1, 1, count * count), 0.5, np.float32),
        "colours": colours.astype(np.float32),
        "rows": np.array([1, 2, count * count], np.int64),
    }
    nodes = [
        helper.make_node(
            "AveragePool", ["images"], ["means"], kernel_shape=[CELL] * 2, strides=[CELL] * 2
        ),
        helper.make_node("Conv", ["means", "colours"], ["shares"], kernel_shape=[1, 1]),
        helper.make_node("Relu", ["shares"], ["scores"]),
        helper.make_node("Reshape", ["scores", "rows"], ["flat"]),
    ]
    if version == 8:
        del constants["objectness"]
        nodes.append(helper.make_node("Concat", ["boxes", "flat"], ["output0"], axis=1))
        shape = [1, 6, count * count]
    else:
        parts = ["boxes", "objectness", "flat"]
        nodes.append(helper.make_node("Concat", parts, ["columns"], axis=1))
        nodes.append(helper.make_node("Transpose", ["columns"], ["output0"], perm=[0, 2, 1]))
        shape = [1, count * count, 7]
    return write(path, [1, 3, side, side], nodes, {"output0": shape}, constants)


def write(
    path: Path,
    images: Sequence[int],
    nodes: Sequence[onnx.NodeProto],
    outputs: dict[str, Sequence[int]],
    constants: dict[str, np.ndarray],
) -> Path:
    """Writes a network from `images`, of this shape, to `outputs`."""
    graph = helper.make_graph(
        nodes,
        "test",
        [helper.make_tensor_value_info("images", TensorProto.FLOAT, images)],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name, shape in outputs.items()
        ],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    # The versions of YOLO's exporters, which OpenCV can read.
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 12)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    return path


# The middle of a face's box, and the logarithm of its size, in squares of 32 pixels.
FACE = (0.5, 0.5, np.log(2), np.log(2))
# Right eye, left eye, nose, right and left corner of the mouth: x and y in squares of 32 pixels.
POINTS = (0.125, 0.25, 0.875, 0.25, 0.5, 0.5, 0.25, 1.0, 0.75, 1.0)


def write_yunet(path: Path) -> Path:
    """A network with the outputs of YuNet that finds a face where a square of 32 pixels is red."""
    nodes, outputs, constants = [], {}, {}
    values = {"cls": (0.0,), "obj": (1.0,), "bbox": FACE, "kps": POINTS}
    for stride in (8, 16, 32):
        side = SIDE // stride
        pool = [f"means_{stride}"]
        shape = [stride, stride]
        nodes.append(
            helper.make_node("AveragePool", ["images"], pool, kernel_shape=shape, strides=shape)
        )
        for name, bias in values.items():
            output, count = f"{name}_{stride}", len(bias)
            outputs[output] = [1, side * side, count]
            weights = np.zeros((count, 3, 1, 1), np.float32)
            if output == "cls_32":
                # Blue, green, red, each 0 to 255.
                weights[0, :, 0, 0] = np.array([-0.5, -0.5, 1]) / 255
            constants |= {
                f"{output}_weights": weights,
                f"{output}_bias": np.array(bias, np.float32),
                f"{output}_rows": np.array([1, -1, count], np.int64),
            }
            inputs = [*pool, f"{output}_weights", f"{output}_bias"]
            nodes += [
                helper.make_node("Conv", inputs, [f"{output}_maps"], kernel_shape=[1, 1]),
                helper.make_node(
                    "Transpose", [f"{output}_maps"], [f"{output}_turned"], perm=[0, 2, 3, 1]
                ),
                helper.make_node("Reshape", [f"{output}_turned", f"{output}_rows"], [output]),
            ]
    return write(path, [1, 3, SIDE, SIDE], nodes, outputs, constants)
