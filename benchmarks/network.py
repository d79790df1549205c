"""How fast networks play against themselves on a device, and how fast one forward pass is: ours beside ONNX Runtime.

python benchmarks/network.py selfplay --rules "standard 8x8" --playouts 64 --lanes 4096
python benchmarks/network.py forward --rules "standard 8x8"
"""

import argparse
import time
from typing import Any

import numpy as np

from outflank.board import Position, Rules
from outflank.kernels.forest import KEPT, add_moves
from outflank.kernels.network import HIDDEN, NARROW, PLANES, new_workspace, predict
from outflank.learn.lessons import play, reading_of
from outflank.learn.network import Plan, State
from outflank.learn.residual import device_called, device_text, planes_of
from outflank.search.networks import Network


def selfplay(args: argparse.Namespace) -> None:
    """Searched positions a second, the compiler's time left out."""
    rules = Rules.parse(args.rules)
    plan = Plan(rules, args.channels, args.blocks, games=args.games, lanes=args.lanes, playouts=args.playouts,
                together=args.together, exact=args.exact, random_moves=args.random)  # fmt: skip
    device, network = device_called(args.device), State.begin(plan).best
    print(device_text(device), flush=True)
    for number in range(args.repeat + 1):
        course, lanes = plan.course, plan.lanes
        if number == 0:
            course, lanes = course._replace(games=1), min(64, lanes)
        began = time.perf_counter()
        groups = play(rules, course, reading_of(rules, plan.exact), [network], lanes, 1, device)
        seconds = time.perf_counter() - began
        searched = sum(int(group.lanes.columns[:, KEPT].sum()) for group in groups)
        told = "compiled in" if number == 0 else f"{searched / seconds:,.0f} positions a second, {searched:,} in"
        print(
            f"{plan.lanes} lanes, {plan.playouts} playouts, {plan.together} together: {told} {seconds:.2f} s",
            flush=True,
        )


def onnx_model(network: Network) -> Any:
    """The network as a model of ONNX, channels first."""
    from onnx import TensorProto, helper, numpy_helper

    parts, nodes, constants = network.arrays(), list[Any](), list[Any]()

    def constant(name: str, array: Any) -> str:
        constants.append(numpy_helper.from_array(np.ascontiguousarray(array, np.float32), name))
        return name

    def node(kind: str, inputs: list[str], out: str, **options: Any) -> str:
        nodes.append(helper.make_node(kind, inputs, [out], **options))
        return out

    def convolved(x: str, number: int, weights: Any) -> str:
        names = [
            x,
            constant(f"w{number}", weights.transpose(3, 2, 0, 1)),
            constant(f"b{number}", parts["biases"][number]),
        ]
        return node("Conv", names, f"c{number}", pads=[1, 1, 1, 1])

    x = node("Relu", [convolved("planes", 0, parts["stem"])], "x0")
    for block in range(network.shape.blocks):
        first, second = 2 * block, 2 * block + 1
        h = node("Relu", [convolved(x, first + 1, parts["convolutions"][first])], f"h{block}")
        added = node("Add", [convolved(h, second + 1, parts["convolutions"][second]), x], f"a{block}")
        x = node("Relu", [added], f"x{block + 1}")
    node("Conv", [x, constant("policy", parts["policy"][None, :, None, None])], "logits")
    names = [x, constant("narrow", parts["narrow"].T[:, :, None, None]), constant("nb", parts["narrow_bias"])]
    narrow = node("Relu", [node("Conv", names, "n")], "nr")
    flat = node("Flatten", [node("Transpose", [narrow], "nt", perm=[0, 2, 3, 1])], "nf")
    hidden = parts["hidden"].reshape(-1, HIDDEN)
    hidden_out = node(
        "Relu", [node("Gemm", [flat, constant("hidden", hidden), constant("hb", parts["hidden_bias"])], "g")], "gr"
    )
    last = node(
        "Gemm",
        [hidden_out, constant("last", parts["last"][:HIDDEN, None]), constant("lb", parts["last"][HIDDEN:])],
        "l",
    )
    node("Tanh", [last], "value")
    size = network.shape.size
    inputs = [helper.make_tensor_value_info("planes", TensorProto.FLOAT, [None, PLANES, size, size])]
    outs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("logits", "value")]
    graph = helper.make_graph(nodes, "network", inputs, outs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def forward(args: argparse.Namespace) -> None:
    """Microseconds of a forward pass on one core."""
    import torch

    rules = Rules.parse(args.rules)
    plan = Plan(rules, args.channels, args.blocks)
    network = State.begin(plan).best
    boards, net, space = Position.start(rules).boards, network.build(), new_workspace(rules.size, plan.channels)
    logits = np.zeros((1, 64), np.float32)
    ours = _best(lambda: predict(*boards, net, space, logits))
    print(f"{rules}, {plan.blocks} blocks of {plan.channels} channels, one core")
    print(f"numba: {1e6 * ours:.0f} microseconds a position")
    try:
        import onnxruntime
    except ImportError:
        print("ONNX Runtime is not installed")
        return
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(onnx_model(network).SerializeToString(), options, ["CPUExecutionProvider"])
    words = np.zeros((1, 4), np.uint64)
    words[0, :2] = boards[0][0], boards[1][0]
    add_moves(boards[2], words)
    one = planes_of(torch.from_numpy(words.view(np.int64)), rules.size, torch.float32).numpy()
    value = session.run(None, {"planes": np.ascontiguousarray(one)})[1]
    print(f"difference of values: {abs(float(value[0, 0]) - predict(*boards, net, space, logits)):.1e}")
    for batch in (1, 8, 32):
        planes = np.ascontiguousarray(np.repeat(one, batch, axis=0))
        seconds = _best(lambda planes=planes: session.run(None, {"planes": planes}))
        print(f"ONNX Runtime, batches of {batch}: {1e6 * seconds / batch:.0f} microseconds a position")
    assert NARROW == 8


def _best(work: Any) -> float:
    """Processor seconds, the best of many."""
    work()
    found = []
    for _ in range(50):
        began = time.process_time()
        for _ in range(5):
            work()
        found.append((time.process_time() - began) / 5)
    return min(found)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["selfplay", "forward"])
    parser.add_argument("--rules", default="standard 8x8")
    parser.add_argument("--device", default="auto")
    for name, usual in {"channels": 64, "blocks": 5, "games": 4096, "lanes": 4096, "playouts": 64, "together": 4,
                        "exact": 8, "random": 0, "repeat": 1}.items():  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=usual)
    args = parser.parse_args()
    {"selfplay": selfplay, "forward": forward}[args.what](args)


if __name__ == "__main__":
    main()
