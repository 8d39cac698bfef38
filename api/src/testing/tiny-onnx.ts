/** The smallest ONNX files that a speech library loads: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3 */

type Value = readonly [name: string, type: 'float' | 'int64', dimensions: readonly (string | number)[]]

const typeNumber = { float: 1, int64: 7 }

interface Graph {
  readonly nodes: readonly Buffer[]
  readonly constants: readonly Buffer[]
  readonly inputs: readonly Value[]
  readonly outputs: readonly Value[]
  readonly facts: Readonly<Record<string, string | number>>
}

/** The bytes of a model. */
export const onnxModel = ({ nodes, constants, inputs, outputs, facts }: Graph): Buffer =>
  Buffer.concat([
    number(1, 8),
    message(
      7,
      ...nodes,
      text(2, 'graph'),
      ...constants,
      ...inputs.map(valueAs(11)),
      ...outputs.map(valueAs(12)),
    ),
    message(8, text(1, ''), number(2, 13)),
    ...Object.entries(facts).map(([key, fact]) => message(14, text(1, key), text(2, String(fact)))),
  ])

/** An operation; attributes are integers, or lists of them. */
export function onnxNode(
  operation: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Readonly<Record<string, number | readonly number[]>> = {},
): Buffer {
  const all = Object.entries(attributes).map(([name, value]) =>
    typeof value === 'number'
      ? message(5, text(1, name), number(20, 2), number(3, value))
      : message(5, text(1, name), number(20, 7), ...value.map((one) => number(8, one))),
  )
  return message(
    1,
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, operation),
    ...all,
  )
}

/** A constant. */
export function onnxConstant(
  name: string,
  type: 'float' | 'int64',
  dimensions: readonly number[],
  values: readonly number[],
): Buffer {
  const data = type === 'float' ? new Float32Array(values) : new BigInt64Array(values.map(BigInt))
  const sizes = dimensions.map((size) => number(1, size))
  return message(5, ...sizes, number(2, typeNumber[type]), text(8, name), field(9, Buffer.from(data.buffer)))
}

const valueAs =
  (place: number) =>
  ([name, type, dimensions]: Value): Buffer => {
    const sizes = dimensions.map((size) =>
      message(1, typeof size === 'string' ? text(2, size) : number(1, size)),
    )
    return message(
      place,
      text(1, name),
      message(2, message(1, number(1, typeNumber[type]), message(2, ...sizes))),
    )
  }

const number = (place: number, value: number) => Buffer.concat([varint(place << 3), varint(value)])
const text = (place: number, value: string) => field(place, Buffer.from(value))
const message = (place: number, ...parts: Buffer[]) => field(place, Buffer.concat(parts))
const field = (place: number, data: Buffer) =>
  Buffer.concat([varint((place << 3) | 2), varint(data.length), data])

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)])
    bytes.push(Number(rest & 127n) | 128)
  }
}
