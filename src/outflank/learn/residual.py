"""The network of `learn network` in PyTorch: how it is trained, and how it answers thousands of positions at once.

It is written with functions instead of modules: a dictionary of tensors is all there is to keep, and what `puct` plays
with (`kernels/network.py`) is computed from it by folding every batch normalisation into the convolution before it.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.board import Rules
from outflank.errors import BadSpec, OutflankError, require
from outflank.kernels.network import HIDDEN, LOGITS, NARROW, PLANES
from outflank.kernels.puct import MINE, Leaves
from outflank.search.networks import Network, Shape

Tensor = Any
Tensors = dict[str, Tensor]

DEVICES = ("auto", "cpu", "cuda")
_MOMENTUM, _EPSILON = 0.05, 1e-5
_WEIGHT_DECAY = 1e-4


def device_called(name: str) -> str:
    """`cpu` or `cuda`; an error for people where PyTorch or the card is missing."""
    if name not in DEVICES:
        raise BadSpec(f"device {name!r} is not known; expected {', '.join(DEVICES)}")
    require("torch", "networks are trained by PyTorch", "network")
    import torch

    there = torch.cuda.is_available()
    torch.backends.cudnn.benchmark = True
    if name == "cuda" and not there:
        raise OutflankError("there is no GPU to train on; expected an NVIDIA card with its driver, or --device cpu")
    return "cuda" if name == "cuda" or (name == "auto" and there) else "cpu"


def device_text(device: str) -> str:
    """The device for a card of a model."""
    import torch

    name = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    return f"{name}, PyTorch {torch.__version__}"


# --- training -----------------------------------------------------------------------------------------------------


def new_tensors(shape: Shape, seed: int) -> Tensors:
    """A network that knows nothing: random convolutions, value and logits near 0."""
    import torch

    chance = torch.Generator().manual_seed(seed)
    found: Tensors = {}

    def normal(name: str, *sizes: int, spread: float) -> None:
        found[name] = torch.randn(*sizes, generator=chance) * spread

    many = shape.channels
    for name, inner in _layers(shape):
        normal(name, many, inner, 3, 3, spread=math.sqrt(2 / (9 * inner)))
        found[f"{name}.shift"], found[f"{name}.mean"] = torch.zeros(many), torch.zeros(many)
        last_of_block = name.endswith("b")  # blocks begin as the identity
        found[f"{name}.scale"] = torch.zeros(many) if last_of_block else torch.ones(many)
        found[f"{name}.variance"] = torch.ones(many)
    normal("policy", 1, many, 1, 1, spread=0.01)
    found["places"] = torch.zeros(shape.size, shape.size)
    normal("narrow", NARROW, many, 1, 1, spread=math.sqrt(1 / many))
    found["narrow.shift"] = torch.zeros(NARROW)
    inputs = NARROW * shape.size**2
    normal("hidden", HIDDEN, inputs, spread=math.sqrt(2 / inputs))
    found["hidden.shift"] = torch.zeros(HIDDEN)
    normal("last", 1, HIDDEN, spread=0.01)
    found["last.shift"] = torch.zeros(1)
    return found


def _layers(shape: Shape) -> Iterator[tuple[str, int]]:
    """The convolutions 3x3 by name, with the channels they take."""
    yield "stem", PLANES
    for block in range(shape.blocks):
        yield f"block{block}a", shape.channels
        yield f"block{block}b", shape.channels


def _is_learned(name: str) -> bool:
    return not name.endswith((".mean", ".variance"))


def _normalised(tensors: Tensors, name: str, x: Tensor) -> Tensor:
    """A convolution with batch normalisation, of a batch in training."""
    from torch.nn import functional

    x = functional.conv2d(x, tensors[name], padding=1)
    mean, variance = tensors[f"{name}.mean"], tensors[f"{name}.variance"]
    scale, shift = tensors[f"{name}.scale"], tensors[f"{name}.shift"]
    return functional.batch_norm(x, mean, variance, scale, shift, True, _MOMENTUM, _EPSILON)


def _trained_on(tensors: Tensors, shape: Shape, planes: Tensor) -> tuple[Tensor, Tensor]:
    """Logits [batch, squares] and values [batch] in training."""
    import torch
    from torch.nn import functional

    x = _normalised(tensors, "stem", planes).relu()
    for block in range(shape.blocks):
        h = _normalised(tensors, f"block{block}a", x).relu()
        x = (_normalised(tensors, f"block{block}b", h) + x).relu()
    logits = functional.conv2d(x, tensors["policy"])[:, 0] + tensors["places"]
    narrow = functional.conv2d(x, tensors["narrow"], tensors["narrow.shift"]).relu()
    hidden = functional.linear(narrow.permute(0, 2, 3, 1).flatten(1), tensors["hidden"], tensors["hidden.shift"]).relu()
    value = torch.tanh(functional.linear(hidden, tensors["last"], tensors["last.shift"]))[:, 0]
    return logits.flatten(1), value


def planes_of(boards: Tensor, size: int, kind: Any) -> Tensor:
    """[batch, PLANES, size, size] of words [batch, 4]: discs and moves of both sides, and ones."""
    import torch

    lines = torch.arange(size, device=boards.device)
    bits = (8 * lines[:, None] + lines[None, :]).flatten()
    squares = ((boards[:, :, None] >> bits) & 1).to(kind).reshape(-1, 4, size, size)
    planes = torch.cat([squares, torch.ones_like(squares[:, :1])], dim=1)
    return planes.contiguous(memory_format=torch.channels_last)


def _turned(x: Tensor, symmetry: int) -> Tensor:
    """Boards in the last two dimensions under one of the eight symmetries."""
    x = x.rot90(symmetry % 4, (-2, -1))
    return x.flip(-1) if symmetry >= 4 else x


class Trainer:
    """A network in training."""

    def __init__(self, shape: Shape, tensors: Tensors, device: str) -> None:
        import torch

        self.shape, self.device = shape, device
        self.tensors = {name: tensor.to(device).clone() for name, tensor in tensors.items()}
        for name, tensor in self.tensors.items():
            if tensor.ndim == 4:
                self.tensors[name] = tensor.contiguous(memory_format=torch.channels_last)
            self.tensors[name].requires_grad_(_is_learned(name))
        self.learned = [name for name in self.tensors if _is_learned(name)]
        parameters = [self.tensors[name] for name in self.learned]
        self.optimiser = torch.optim.AdamW(parameters, lr=0.0, weight_decay=_WEIGHT_DECAY)

    def step(self, boards: Tensor, policies: Tensor, values: Tensor, rate: float) -> tuple[float, float]:
        """A step on a batch: words [batch, 4], policies [batch, squares], values [batch].

        Every eighth of the batch is seen under another symmetry. Returns the losses of policy and value as tensors.
        """
        import torch
        from torch.nn import functional

        size = self.shape.size
        planes = planes_of(boards, size, torch.float32)
        targets = policies.reshape(-1, size, size)
        turned = [
            (_turned(one, number), _turned(other, number))
            for number, (one, other) in enumerate(zip(planes.chunk(8), targets.chunk(8), strict=True))
        ]
        planes = torch.cat([one for one, _ in turned]).contiguous(memory_format=torch.channels_last)
        targets = torch.cat([other for _, other in turned]).flatten(1)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            logits, value = _trained_on(self.tensors, self.shape, planes)
        legal = planes[:, MINE].flatten(1) > 0
        logs = functional.log_softmax(logits.float().masked_fill(~legal, -1e9), dim=1)
        policy_loss = -(targets * logs).sum(1).mean()
        value_loss = functional.mse_loss(value.float(), values)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.zero_grad(set_to_none=True)
        (policy_loss + value_loss).backward()
        self.optimiser.step()
        return policy_loss.detach(), value_loss.detach()

    def state(self) -> dict[str, npt.NDArray[np.float32]]:
        """All that is needed to go on: tensors, and what the optimiser remembers of them."""
        found = {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.tensors.items()}
        for name in self.learned:
            memory = self.optimiser.state.get(self.tensors[name], {})
            for key in ("exp_avg", "exp_avg_sq", "step"):
                if key in memory:
                    found[f"{name}/{key}"] = np.asarray(memory[key].detach().cpu().numpy(), np.float32)
        return found

    def remember(self, state: dict[str, npt.NDArray[np.float32]]) -> None:
        """Takes what the optimiser remembered from a state."""
        import torch

        for name in self.learned:
            if f"{name}/step" in state:
                tensor = self.tensors[name]
                averages = {
                    key: torch.empty_like(tensor).copy_(torch.from_numpy(state[f"{name}/{key}"]))
                    for key in ("exp_avg", "exp_avg_sq")
                }
                step = torch.tensor(float(state[f"{name}/step"]))
                self.optimiser.state[tensor] = {"step": step, **averages}

    def network(self, rules: Rules, card: dict[str, Any]) -> Network:
        """What is played with."""
        return Network.of(rules, self.shape, folded(self.tensors, self.shape), card)


def tensors_in(state: dict[str, npt.NDArray[np.float32]]) -> Tensors:
    """The tensors of a state."""
    import torch

    return {name: torch.from_numpy(array.copy()) for name, array in state.items() if "/" not in name}


def folded(tensors: Tensors, shape: Shape) -> dict[str, npt.NDArray[np.float32]]:
    """The parts of a `Network`: batch normalisation is a factor and a sum, and goes into weights and biases."""
    plain = {name: tensor.detach().float().cpu().contiguous().numpy() for name, tensor in tensors.items()}
    weights, biases = [], []
    for name, _ in _layers(shape):
        factor = plain[f"{name}.scale"] / np.sqrt(plain[f"{name}.variance"] + _EPSILON)
        weights.append((plain[name] * factor[:, None, None, None]).transpose(2, 3, 1, 0))
        biases.append(plain[f"{name}.shift"] - plain[f"{name}.mean"] * factor)
    return {
        "stem": weights[0],
        "convolutions": np.stack(weights[1:]),
        "biases": np.stack(biases),
        "policy": plain["policy"],
        "places": plain["places"],
        "narrow": plain["narrow"][:, :, 0, 0].T,
        "narrow_bias": plain["narrow.shift"],
        "hidden": plain["hidden"].T,
        "hidden_bias": plain["hidden.shift"],
        "last": np.concatenate([plain["last"].ravel(), plain["last.shift"]]),
    }


# --- answering ----------------------------------------------------------------------------------------------------


class Evaluator:
    """A network that answers a batch of positions, in half precision on a card, where the work is recorded once."""

    def __init__(self, network: Network, device: str) -> None:
        import torch

        self.shape, self.device = network.shape, device
        self.kind = torch.float16 if device == "cuda" else torch.float32
        self.tensors = self._tensors(network)

    def _tensors(self, network: Network) -> Tensors:
        import torch

        parts = network.arrays()
        found = {
            "stem": parts["stem"].transpose(3, 2, 0, 1),
            **{f"{i}": one.transpose(3, 2, 0, 1) for i, one in enumerate(parts["convolutions"])},
            **{f"bias{i}": one for i, one in enumerate(parts["biases"])},
            "policy": parts["policy"][None, :, None, None],
            "places": parts["places"].reshape(self.shape.size, self.shape.size),
            "narrow": parts["narrow"].T[:, :, None, None],
            "narrow_bias": parts["narrow_bias"],
            "hidden": parts["hidden"].reshape(-1, HIDDEN).T,
            "hidden_bias": parts["hidden_bias"],
            "last": parts["last"][None, :HIDDEN],
            "last_bias": parts["last"][HIDDEN:],
        }
        made = {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in found.items()}
        moved = {name: tensor.to(self.device, self.kind) for name, tensor in made.items()}
        return {
            name: tensor.contiguous(memory_format=torch.channels_last) if tensor.ndim == 4 else tensor
            for name, tensor in moved.items()
        }

    def load(self, network: Network) -> None:
        """Takes the weights of another network of the same shape, where the old ones are."""
        for name, tensor in self._tensors(network).items():
            self.tensors[name].copy_(tensor)

    def answer(self, boards: Tensor) -> tuple[Tensor, Tensor]:
        """Logits [batch, LOGITS] by bit, and values [batch], of words [batch, 4]."""
        import torch
        from torch.nn import functional

        tensors, size = self.tensors, self.shape.size
        x = functional.conv2d(planes_of(boards, size, self.kind), tensors["stem"], tensors["bias0"], padding=1).relu_()
        for block in range(self.shape.blocks):
            first, second = 2 * block, 2 * block + 1
            h = functional.conv2d(x, tensors[f"{first}"], tensors[f"bias{first + 1}"], padding=1).relu_()
            h = functional.conv2d(h, tensors[f"{second}"], tensors[f"bias{second + 1}"], padding=1)
            x = h.add_(x).relu_()
        logits = functional.conv2d(x, tensors["policy"])[:, 0] + tensors["places"]
        narrow = functional.conv2d(x, tensors["narrow"], tensors["narrow_bias"]).relu_()
        inputs = narrow.permute(0, 2, 3, 1).flatten(1)
        hidden = functional.linear(inputs, tensors["hidden"], tensors["hidden_bias"]).relu_()
        value = torch.tanh(functional.linear(hidden, tensors["last"], tensors["last_bias"]).float())[:, 0]
        by_bit = functional.pad(logits.float(), (0, 8 - size, 0, 8 - size)).flatten(1)
        return by_bit, value


class Batch:
    """The leaves of a group on their way to one or two networks and back, beside what the processor does meanwhile."""

    def __init__(self, leaves: Leaves, evaluators: list[Evaluator]) -> None:
        import torch

        self.torch, self.evaluators = torch, evaluators
        self.device, rows = evaluators[0].device, len(leaves.values)
        pinned = self.device == "cuda"
        self.boards = torch.zeros((rows, 4), dtype=torch.int64, pin_memory=pinned)
        self.logits = torch.zeros((rows, LOGITS), pin_memory=pinned)
        self.values = torch.zeros(rows, pin_memory=pinned)
        self.second = torch.zeros(rows, dtype=torch.bool, pin_memory=pinned)
        self.leaves = leaves._replace(
            boards=self.boards.numpy().view(np.uint64), logits=self.logits.numpy(), values=self.values.numpy()
        )
        self.graph: Any = None
        if pinned:
            self._record()

    def _answers(self, boards: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
        logits, values = self.evaluators[0].answer(boards)
        if len(self.evaluators) == 1:
            return logits, values
        others, worths = self.evaluators[1].answer(boards)
        return self.torch.where(second[:, None], others, logits), self.torch.where(second, worths, values)

    def _record(self) -> None:
        """Records the work of a batch, so that one call repeats it: many small ones would keep the card waiting."""
        torch = self.torch
        self.stream, self.done = torch.cuda.Stream(), torch.cuda.Event()
        self.inputs, self.marks = self.boards.cuda(), self.second.cuda()
        with torch.no_grad(), torch.cuda.stream(self.stream):
            for _ in range(2):
                self._answers(self.inputs, self.marks)
            self.stream.synchronize()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph, stream=self.stream):
                self.answers = self._answers(self.inputs, self.marks)

    def send(self) -> None:
        """Sends the leaves off."""
        torch = self.torch
        if self.graph is None:
            with torch.no_grad():
                logits, values = self._answers(self.boards, self.second)
            self.logits.copy_(logits)
            self.values.copy_(values)
            return
        with torch.cuda.stream(self.stream):
            self.inputs.copy_(self.boards, non_blocking=True)
            self.marks.copy_(self.second, non_blocking=True)
            self.graph.replay()
            self.logits.copy_(self.answers[0], non_blocking=True)
            self.values.copy_(self.answers[1], non_blocking=True)
            self.done.record(self.stream)

    def wait(self) -> None:
        """Returns when the answers are there."""
        if self.graph is not None:
            self.done.synchronize()
