import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'vite'

export const root = path.resolve(import.meta.dirname, '../..')

/** File contents by path, relative to the root and with '/'. */
export type SourceTree = ReadonlyMap<string, string>

const rooms = ['packages', 'sync', 'api', 'web', 'infra']
/** Folders that are installed, built or binary. */
export const skippedFolders: ReadonlySet<string> = new Set([
  'node_modules',
  'dist',
  'dist.next',
  'dist.before',
  'out',
  'fixtures',
  'data',
])

/** Every source file of the repository. */
export function readSourceTree(): SourceTree {
  const tree = new Map<string, string>()
  for (const room of rooms) collect(room, tree)
  return tree
}

function collect(folder: string, tree: Map<string, string>): void {
  for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const file = `${folder}/${entry.name}`
    if (entry.isDirectory()) {
      // Folders with a dot are skipped: mutation tests write there while this runs.
      if (!skippedFolders.has(entry.name) && !entry.name.startsWith('.')) collect(file, tree)
    } else if (isSource(file)) tree.set(file, readFileSync(path.join(root, file), 'utf8'))
  }
}

export const isSource = (file: string): boolean => /\.(?:ts|tsx|mts|mjs|js)$/.test(file)

/** A test, or a helper only tests use. */
export const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file) || /(?:^|\/)testing\//.test(file)

/**
 * The module specifiers of a file: imports and re-exports, type imports (`import type`, `import('x').T`), dynamic imports,
 * and files named by `new URL('./x.ts', import.meta.url)`.
 */
export function importsOf(file: string, source: string): string[] {
  const found = new Set<string>()
  visit(parse(file, source), (node) => {
    if (isImport(node.type) && literal(node.source) !== undefined) found.add(literal(node.source)!)
    if (node.type === 'NewExpression' && nameOf(node.callee) === 'URL' && Array.isArray(node.arguments)) {
      const [address, base] = node.arguments as [unknown, unknown]
      const named = literal(address)
      if (named !== undefined && isSource(named) && isNode(base) && base.type === 'MemberExpression')
        found.add(named)
    }
  })
  return [...found]
}

/** The texts of a file: string literals, templates (a placeholder as '…') and JSX text, without import specifiers. */
export function textsOf(file: string, source: string): string[] {
  const found: string[] = []
  visit(parse(file, source), (node) => {
    if (isImport(node.type)) return 'skip'
    const text = literal(node)
    if (text !== undefined) found.push(text)
    if (node.type === 'TemplateLiteral') found.push(templateText(node))
    if (node.type === 'JSXText' && typeof node.value === 'string')
      found.push(node.value.replace(/\s+/g, ' ').trim())
    return undefined
  })
  return found
}

/** The names that a file imports from a package: 'test' for `import { test as t } from 'vitest'`. */
export function namesImportedFrom(file: string, source: string, specifier: string): string[] {
  const found: string[] = []
  visit(parse(file, source), (node) => {
    if (node.type !== 'ImportDeclaration' || literal(node.source) !== specifier) return
    visit(node.specifiers, ({ imported }) => {
      const name = nameOf(imported)
      if (typeof name === 'string') found.push(name)
    })
  })
  return found
}

/**
 * The first argument, a literal or a template, of each call of a function or of one of its members: `test('…')`,
 * `test.each(rows)('…')`, `test.skipIf(no)('…')`. A placeholder of a template is '…'.
 */
export function callNamesOf(file: string, source: string, name: string): { line: number; name: string }[] {
  const found: { line: number; name: string }[] = []
  visit(parse(file, source), (node) => {
    if (node.type !== 'CallExpression' || calledName(node.callee) !== name) return
    const [first] = node.arguments as unknown[]
    const text =
      isNode(first) && first.type === 'TemplateLiteral' ? templateText(first) : (literal(first) ?? undefined)
    if (text !== undefined) found.push({ line: lineOf(source, node.start), name: text })
  })
  return found
}

/** `test` of `test`, `test.only`, and `test.each(rows)`. */
function calledName(callee: unknown): unknown {
  if (!isNode(callee)) return undefined
  if (callee.type === 'MemberExpression') return calledName(callee.object)
  if (callee.type === 'CallExpression' || callee.type === 'TaggedTemplateExpression')
    return calledName(callee.callee ?? callee.tag)
  return nameOf(callee)
}

/** A function and its length in lines, without the tables in it. */
export interface MeasuredFunction {
  name: string
  lines: number
}

/**
 * Every function of a file, nested ones included. Of a table, an array or object literal without functions, only the first
 * line counts.
 */
export function functionsOf(file: string, source: string): MeasuredFunction[] {
  const names = new Map<Node, string>()
  const functions: Node[] = []
  visit(parse(file, source), (node) => {
    const named = isNode(node.id) ? node.id : node.key
    for (const value of [node.init, node.value])
      if (isNode(value) && typeof nameOf(named) === 'string') names.set(value, nameOf(named) as string)
    if (isFunction(node)) functions.push(node)
  })
  return functions.map((node) => ({
    name: names.get(node) ?? (nameOf(node.id) as string | undefined) ?? `line ${lineOf(source, node.start)}`,
    lines: linesOf(source, node) - tableLines(source, node),
  }))
}

function tableLines(source: string, node: Node): number {
  let lines = 0
  visit(node, (inner) => {
    if (!tableTypes.has(inner.type) || holdsFunction(inner)) return undefined
    lines += linesOf(source, inner) - 1
    return 'skip'
  })
  return lines
}

function holdsFunction(node: Node): boolean {
  let found = false
  visit(node, (inner) => void (found ||= isFunction(inner)))
  return found
}

const tableTypes = new Set(['ObjectExpression', 'ArrayExpression'])
const isFunction = ({ type }: Node) =>
  type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'

const linesOf = (source: string, { start, end }: Node) => lineOf(source, end) - lineOf(source, start) + 1
const lineOf = (source: string, offset: unknown) => source.slice(0, Number(offset)).split('\n').length

interface Node {
  readonly type: string
  readonly [member: string]: unknown
}

const importTypes = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
])
const isImport = (type: string) => importTypes.has(type)

function parse(file: string, source: string): unknown {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]!.message}`)
  return program
}

function visit(value: unknown, seen: (node: Node) => 'skip' | undefined | void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, seen)
  else if (isNode(value)) {
    // An export with a declaration can contain texts, a re-export cannot.
    if (seen(value) === 'skip' && !isNode(value.declaration)) return
    for (const member of Object.values(value)) visit(member, seen)
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const literal = (value: unknown): string | undefined =>
  isNode(value) && value.type === 'Literal' && typeof value.value === 'string' ? value.value : undefined

const nameOf = (value: unknown): unknown => (isNode(value) ? value.name : undefined)

function templateText(node: Node): string {
  const quasis = Array.isArray(node.quasis) ? (node.quasis as { value: { cooked: string } }[]) : []
  return quasis.map((quasi) => quasi.value.cooked).join('…')
}
