import { parseAst } from 'vite'

/** A change of one place in a source file: a bug that some test should notice. */
export interface SourceMutant {
  /** From the root of the repository. */
  file: string
  /** Characters of the source that are replaced. */
  start: number
  end: number
  replacement: string
  /** One-based. */
  line: number
  /** The code before and after. */
  shown: string
}

interface Node {
  type: string
  start: number
  end: number
  [member: string]: unknown
}

/** Every mutant of a TypeScript source: turned conditions and operators, statements left out. */
export function mutantsOf(file: string, source: string): SourceMutant[] {
  const found: SourceMutant[] = []
  const add = ({ start, end }: Node, replacement: string) => {
    const line = source.slice(0, start).split('\n').length
    const shown = `${oneLine(source.slice(start, end))} → ${oneLine(replacement)}`
    found.push({ file, start, end, replacement, line, shown })
  }
  const text = ({ start, end }: Node) => source.slice(start, end)
  visit(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node, (node) => {
    const { type } = node
    if (type === 'IfStatement' || type === 'ConditionalExpression') {
      const test = node['test'] as Node
      add(test, `!(${text(test)})`)
    }
    if (type === 'BinaryExpression' || type === 'LogicalExpression') {
      const [left, right] = [node['left'] as Node, node['right'] as Node]
      const turned = turnedOperators[node['operator'] as string]
      if (turned !== undefined) add(node, `(${text(left)}) ${turned} (${text(right)})`)
      if (type === 'LogicalExpression') add(node, text(left))
    }
    if (type === 'ExpressionStatement' && isCall(node['expression'] as Node)) add(node, ';')
    if (type === 'UnaryExpression' && node['operator'] === '!') add(node, text(node['argument'] as Node))
    // Only if it has no value: the value of another one is used.
    if (type === 'ReturnStatement' && node['argument'] === null) add(node, ';')
  })
  return found
}

/** Operators next to each limit, and opposites. `??` and `+` of texts stay as they are. */
const turnedOperators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '-': '+',
}

/** Also one that is awaited, or whose value is thrown away. */
function isCall(expression: Node): boolean {
  if (expression.type === 'CallExpression') return true
  const inner = expression['argument']
  return (
    (expression.type === 'AwaitExpression' ||
      (expression.type === 'UnaryExpression' && expression['operator'] === 'void')) &&
    isCall(inner as Node)
  )
}

function visit(node: Node, each: (node: Node) => void): void {
  each(node)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof child === 'object' && child !== null && 'type' in child && 'start' in child)
        visit(child as Node, each)
    }
  }
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 100)
