import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { contract } from '@fellowship/schema/contract'
import type { AnyEndpoint } from '@fellowship/schema/endpoint'
import { problems } from '@fellowship/schema/problem'
import { testApp } from '../../testing/test-app.ts'

interface Operation {
  operationId: string
  tags: string[]
  summary: string
  'x-access': string
  security?: Record<string, string[]>[]
  parameters: { name: string; in: string; required: boolean; schema: unknown }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<string, { description: string; content: Record<string, { schema: Schema }> }>
}
interface Schema {
  [member: string]: unknown
  properties?: Record<string, unknown>
}
interface Document {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, Operation>>
  components: { securitySchemes: Record<string, unknown>; schemas: Record<string, Schema> }
}

const app = await testApp()
const document = (await (await fetch(`${app.url}/api/openapi.json`)).json()) as Document

const calls = Object.entries(contract).flatMap(([feature, group]) =>
  Object.entries<AnyEndpoint>(group).map(([name, call]) => ({ id: `${feature}.${name}`, feature, call })),
)

/** Keywords that OpenAPI 3.1 allows in a schema object: JSON Schema 2020-12 and a few of its own. */
const vocabulary =
  `$ref additionalProperties allOf anyOf const contentEncoding contentMediaType default description enum examples
  exclusiveMaximum exclusiveMinimum format items maxItems maxLength maximum minItems minLength minimum multipleOf not
  oneOf pattern prefixItems properties propertyNames readOnly required title type uniqueItems writeOnly`.split(
    /\s+/,
  )

test('the document is OpenAPI 3.1 of this product', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/)
  expect(document.info).toEqual({ title: 'Bulls Christian Fellowship API', version: '7.4.29' })
  expect(Object.keys(document).sort()).toEqual(['components', 'info', 'openapi', 'paths'])
})

test('the document describes exactly the contract’s calls', () => {
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
  )
  const declared = calls.map(
    ({ id, call }) => `${id} ${call.method.toLowerCase()} ${call.path.replaceAll(/:(\w+)/g, '{$1}')}`,
  )
  expect(described.sort()).toEqual(declared.sort())
})

describe.each(calls.map(({ id, feature, call }) => [id, feature, call] as const))(
  '%s',
  (_id, feature, call) => {
    const path = call.path.replaceAll(/:(\w+)/g, '{$1}')
    const operation = document.paths[path]![call.method.toLowerCase()]!

    test('has a summary, its access and its authentication', () => {
      expect(operation).toMatchObject({ tags: [feature], summary: call.summary, 'x-access': call.access })
      const proof = call.method === 'GET' ? { session: [] } : { session: [], csrf: [] }
      expect(operation.security).toEqual(call.access === 'everyone' ? undefined : [proof])
      for (const name of Object.keys(operation.security?.[0] ?? {})) {
        expect(document.components.securitySchemes).toHaveProperty(name)
      }
    })

    test('declares each path parameter as required, once', () => {
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
      expect(inPath.map(({ name }) => name)).toEqual(names)
      expect(inPath.every(({ required }) => required)).toBe(true)
      const all = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
      expect(all).toEqual([...new Set(all)])
      for (const { schema } of operation.parameters) expectSchema(schema)
    })

    test('has a body only if it takes one', () => {
      if (call.encoding === 'none') return expect(operation.requestBody).toBeUndefined()
      const type = call.encoding === 'json' ? 'application/json' : 'multipart/form-data'
      expect(operation.requestBody!.required).toBe(true)
      expect(Object.keys(operation.requestBody!.content)).toEqual([type])
      const { schema } = operation.requestBody!.content[type]!
      expect(schema['type']).toBe('object')
      expectSchema(schema)
      for (const name of call.files) {
        expect([name, schema.properties![name]]).toEqual([name, { type: 'string', format: 'binary' }])
      }
      expect('_csrf' in schema.properties!).toBe(call.encoding === 'multipart')
    })

    test('has only schemas that JSON can express', () => {
      for (const io of ['input', 'output'] as const) {
        for (const schema of [call.params, call.query, call.body, call.answer]) {
          expect(() => z.toJSONSchema(schema, { io })).not.toThrow()
        }
      }
    })

    test('describes its answer and its failure', () => {
      expect(Object.keys(operation.responses)).toEqual(['200', 'default'])
      for (const { description, content } of Object.values(operation.responses)) {
        expect(description).not.toBe('')
        for (const { schema } of Object.values(content)) expectSchema(schema)
      }
      expect(operation.responses['default']!.content['application/json']!.schema).toEqual({
        $ref: '#/components/schemas/Failure',
      })
    })
  },
)

test('the failure shape names every code', () => {
  const failure = document.components.schemas['Failure']!
  expect(failure['required']).toEqual(['success', 'error', 'message', 'code'])
  expect(failure.properties!['code']).toEqual({ enum: Object.keys(problems) })
  expectSchema(failure)
})

test('numbers have only bounds of the API', () => {
  expect(JSON.stringify(document)).not.toContain(String(Number.MAX_SAFE_INTEGER))
})

/** Schema objects use only standard keywords, and their references resolve. */
function expectSchema(schema: unknown): void {
  expect(schema).toBeTypeOf('object')
  const { properties, items, additionalProperties, anyOf, oneOf, allOf, ...rest } = schema as Record<
    string,
    unknown
  >
  const words = Object.keys(schema as object)
  expect(words.filter((word) => !vocabulary.includes(word))).toEqual([])
  if (typeof rest['$ref'] === 'string') {
    expect(document.components.schemas).toHaveProperty(rest['$ref'].replace('#/components/schemas/', ''))
  }
  for (const part of Object.values((properties ?? {}) as object)) expectSchema(part)
  for (const group of [anyOf, oneOf, allOf]) for (const part of (group ?? []) as unknown[]) expectSchema(part)
  // False behind the last item of a tuple.
  if (items !== undefined && items !== false) expectSchema(items)
  if (typeof additionalProperties === 'object') {
    expectSchema(additionalProperties)
  }
}
