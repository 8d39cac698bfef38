import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readCaptions } from '@fellowship/schema/transcripts/caption-file'
import { wavHead } from '@fellowship/sound/write/plain-wav'
import { pcm16, speechRate } from '@fellowship/sound/write/speech-wav'
import { onnxConstant, onnxModel, onnxNode } from '../../testing/tiny-onnx.ts'
import { hearSpeech } from './speech-engine.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'model-'))
afterAll(() => rm(folder, { recursive: true }))

/** Hears noise in these seconds, and silence around it; the model says what. */
async function heard(
  model: string,
  noise: readonly (readonly [from: number, to: number])[],
  sha256?: string,
) {
  const file = path.join(folder, `${model}.wav`)
  const seconds = noise.at(-1)![1] + 1
  const samples = Float32Array.from({ length: seconds * speechRate }, (_, at) =>
    noise.some(([from, to]) => at >= from * speechRate && at < to * speechRate) ? Math.random() - 0.5 : 0,
  )
  const head = wavHead(
    { kind: 'pcm', channels: 1, sampleRate: speechRate, bytesPerSample: 2 },
    samples.length * 2,
  )
  await writeFile(file, Buffer.concat([head, pcm16(samples)]))
  const { pieces } = await hearSpeech(
    { kind: 'model', folder: path.join(folder, model), sha256: sha256 ?? (await hashOf(model)) },
    { file, seconds, hint: '', language: 'en-NZ' },
    { gone: new AbortController().signal, captions: piecesOf },
  )
  return pieces.map(({ start, text }) => [Math.round(start * 10) / 10, text])
}

function piecesOf(bytes: Buffer) {
  const read = readCaptions(bytes.toString('utf8'))
  if ('fault' in read) throw new Error(read.fault)
  return read.sentences.map(({ start, end, text }) => ({ start: start! / 1000, end: end! / 1000, text }))
}

async function hashOf(model: string): Promise<string> {
  const hash = createHash('sha256')
  for (const name of (await readdir(path.join(folder, model))).sort())
    hash.update(await readFile(path.join(folder, model, name)))
  return hash.digest('hex')
}

async function write(model: string, files: Record<string, string | Buffer>): Promise<void> {
  await mkdir(path.join(folder, model), { recursive: true })
  for (const [name, content] of Object.entries(files))
    await writeFile(path.join(folder, model, name), content)
}

/** A CTC model that says "amen" while it is loud. */
const loudness = {
  'model.int8.onnx': onnxModel({
    nodes: [
      onnxNode('Transpose', ['audio_signal'], ['frames'], { perm: [0, 2, 1] }),
      onnxNode('MatMul', ['frames', 'mean'], ['loudness']),
      onnxNode('Add', ['loudness', 'threshold'], ['scores']),
      onnxNode('LogSoftmax', ['scores'], ['logprobs'], { axis: -1 }),
    ],
    constants: [
      onnxConstant(
        'mean',
        'float',
        [80, 2],
        Array.from({ length: 160 }, (_, at) => (at % 2 === 0 ? 1 / 80 : 0)),
      ),
      onnxConstant('threshold', 'float', [2], [10, 0]),
    ],
    inputs: [
      ['audio_signal', 'float', ['N', 80, 'T']],
      ['length', 'int64', ['N']],
    ],
    outputs: [['logprobs', 'float', ['N', 'T', 2]]],
    facts: { vocab_size: 1, subsampling_factor: 1, normalize_type: '', model_type: 'EncDecCTCModelBPE' },
  }),
  'tokens.txt': '▁amen 0\n<blk> 1\n',
}

test.concurrent('a CTC model writes words with their times', async () => {
  await write('loudness', loudness)
  const noise = [
    [1, 2],
    [3, 3.5],
    // In the second piece, which begins in the silence between.
    [27, 29],
  ] as const
  expect(await heard('loudness', noise)).toEqual([
    [1, 'amen'],
    [3, 'amen'],
    [27, 'amen'],
  ])
})

/** A Whisper model whose decoder says the same two sentences about each piece. */
function twoSentences() {
  const words = [' Grace', ' to', ' you.', ' Amen.']
  const [sot, eot, en, transcribe] = [4, 5, 6, 7]
  const zeroSeconds = 11
  const size = zeroSeconds + 1501
  const at = (seconds: number) => zeroSeconds + seconds * 50
  const said = [transcribe, at(0), 0, 1, 2, at(2), at(2.5), 3, at(3)]
  const next = Array.from({ length: size }, (_, token) => said[said.indexOf(token) + 1] ?? eot)
  const cache = ['N', 'L', 'T', 'S']
  return {
    'two-encoder.onnx': onnxModel({
      nodes: [
        onnxNode('ReduceMean', ['mel'], ['mean'], { axes: [1, 2], keepdims: 1 }),
        onnxNode('Unsqueeze', ['mean', 'zero'], ['k']),
        onnxNode('Identity', ['k'], ['v']),
      ],
      constants: [onnxConstant('zero', 'int64', [1], [0])],
      inputs: [['mel', 'float', ['N', 80, 'T']]],
      outputs: [
        ['k', 'float', cache],
        ['v', 'float', cache],
      ],
      facts: {
        model_type: 'whisper-tiny',
        n_mels: 80,
        n_text_layer: 1,
        n_text_ctx: 448,
        n_text_state: 1,
        n_vocab: size,
        sot,
        eot,
        blank_id: 0,
        translate: 8,
        transcribe,
        no_speech: 9,
        no_timestamps: 10,
        is_multilingual: 1,
        all_language_tokens: en,
        all_language_codes: 'en',
        sot_sequence: [sot, en, transcribe].join(','),
      },
    }),
    'two-decoder.onnx': onnxModel({
      nodes: [
        onnxNode('Gather', ['next', 'tokens'], ['best'], { axis: 0 }),
        onnxNode('OneHot', ['best', 'size', 'scores'], ['logits'], { axis: -1 }),
        onnxNode('Identity', ['in_k'], ['out_k']),
        onnxNode('Identity', ['in_v'], ['out_v']),
      ],
      constants: [
        onnxConstant('next', 'int64', [size], next),
        onnxConstant('size', 'int64', [1], [size]),
        onnxConstant('scores', 'float', [2], [0, 10]),
      ],
      inputs: [
        ['tokens', 'int64', ['N', 'L']],
        ...['in_k', 'in_v', 'k', 'v'].map((name) => [name, 'float', cache] as const),
        ['offset', 'int64', [1]],
      ],
      outputs: [
        ['logits', 'float', ['N', 'L', size]],
        ['out_k', 'float', cache],
        ['out_v', 'float', cache],
      ],
      facts: {},
    }),
    'two-tokens.txt': words.map((word, id) => `${Buffer.from(word).toString('base64')} ${id}\n`).join(''),
  }
}

test.concurrent('a Whisper model hears a long recording in pieces cut at pauses', async () => {
  await write('whisper', twoSentences())
  const noise = [
    [0, 20],
    [21, 30],
  ] as const
  const pieces = await heard('whisper', noise)
  expect(pieces.map(([, text]) => text)).toEqual(['Grace to you.', 'Amen.', 'Grace to you.', 'Amen.'])
  expect(pieces.slice(0, 2).map(([start]) => start)).toEqual([0, 2.5])
  // In the pause between 20 and 21 seconds.
  expect(pieces[2]![0]).toBeGreaterThan(20)
  expect(pieces[2]![0]).toBeLessThan(21)
})

test.concurrent('a model that changed, is damaged or is none is refused with a sentence', async () => {
  const noise = [[0, 1]] as const
  await write('changed', loudness)
  await write('damaged', { ...loudness, 'model.int8.onnx': loudness['model.int8.onnx'].subarray(0, 100) })
  await write('words', { 'tokens.txt': 'amen 0\n' })
  const found = await hashOf('changed')
  await Promise.all([
    expect(heard('changed', noise, 'f'.repeat(64))).rejects.toThrow(
      `have the SHA-256 ${found}, and not that of SPEECH_SHA256.`,
    ),
    expect(heard('damaged', noise)).rejects.toThrow(/Load model from .*model\.int8\.onnx failed/),
    expect(heard('words', noise)).rejects.toThrow(/neither a Whisper model .* nor a CTC model/),
    expect(heard('nowhere', noise, 'f'.repeat(64))).rejects.toThrow(/which is no folder with files\.$/),
  ])
})
