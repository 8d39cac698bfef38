import { church } from '@fellowship/schema/church'
import { contract } from '@fellowship/schema/contract'
import type { AnyEndpoint } from '@fellowship/schema/endpoint'
import { problems } from '@fellowship/schema/problem'
import { system } from '@fellowship/schema/system/system.contract'
import type { Site } from '@fellowship/schema/site/site.contract'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { type RawRoute, keptJson, keptRoute } from '../../http/deliver.ts'
import { type App, serve } from '../../http/serve.ts'
import { goOnSweeping, isReady, systemInfo } from './system.ts'

/** Mounts the calls; returns the route of the description. */
export function mountSystem(app: App, context: Context): RawRoute {
  serve(app, context, system.live, () => ({ status: 'ok' as const }))

  serve(app, context, system.ready, async ({ http }) => {
    const status = await isReady(context)
    return status === 'ok' ? { status } : http.json({ status }, 503, { 'cache-control': 'no-store' })
  })

  serve(app, context, system.info, () => systemInfo(context))

  serve(app, context, system.goOn, async ({ actor }) => {
    await goOnSweeping(context, actor)
    return { success: true as const }
  })

  // Made at the first request: it would be a twentieth of every start.
  let made: { site: Site; kept: ReturnType<typeof keptJson> } | undefined
  const description = () => {
    const site = church()
    if (made?.site !== site) made = { site, kept: keptJson(openApi(contract)) }
    return made.kept
  }
  return keptRoute(context, system.openapi, async () => description())
}

/** The whole contract as an OpenAPI 3.1 document; the schemas are zod's own JSON Schema. */
function openApi(contract: Record<string, Record<string, AnyEndpoint>>): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [feature, calls] of Object.entries(contract)) {
    for (const [name, call] of Object.entries(calls)) {
      const path = call.path.replaceAll(/:(\w+)/g, '{$1}')
      ;(paths[path] ??= {})[call.method.toLowerCase()] = operation(feature, name, call)
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: `${church().name} API`, version: church().versionLabel },
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'sid' },
        csrf: {
          type: 'apiKey',
          in: 'header',
          name: 'x-csrf-token',
          description: 'The answer of /api/csrf-token. Forms may carry it as their field _csrf instead.',
        },
      },
      schemas: { Failure: failureSchema },
    },
  }
}

function operation(feature: string, name: string, call: AnyEndpoint) {
  return {
    operationId: `${feature}.${name}`,
    tags: [feature],
    summary: call.summary,
    'x-access': call.access,
    ...(call.access !== 'everyone' && {
      security: [call.method === 'GET' ? { session: [] } : { session: [], csrf: [] }],
    }),
    parameters: [...parameters(call.params, 'path'), ...parameters(call.query, 'query')],
    ...(call.encoding !== 'none' && {
      requestBody: { required: true, content: { [mediaTypes[call.encoding]]: { schema: bodySchema(call) } } },
    }),
    responses: {
      '200': {
        description: 'Done',
        content: { [call.mediaType ?? 'application/json']: { schema: schemaOf(call.answer, 'output') } },
      },
      default: {
        description: 'Refused or failed',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
      },
    },
  }
}

const mediaTypes = { json: 'application/json', multipart: 'multipart/form-data' } as const

interface ObjectSchema {
  properties?: Record<string, unknown>
  required?: string[]
  [member: string]: unknown
}

function bodySchema(call: AnyEndpoint): ObjectSchema {
  const schema = schemaOf(call.body, 'input')
  const files = Object.fromEntries(call.files.map((name) => [name, { type: 'string', format: 'binary' }]))
  const token = call.encoding === 'multipart' ? { _csrf: { type: 'string' } } : {}
  return { ...schema, properties: { ...schema.properties, ...files, ...token } }
}

function parameters(schema: z.ZodType, place: 'path' | 'query') {
  const { properties = {}, required = [] } = schemaOf(schema, 'input')
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => withoutSafeBounds(jsonSchema),
  }) as ObjectSchema
  return rest
}

/** Removes zod's bounds of safe integers, which are no rule of the API. */
function withoutSafeBounds(schema: { minimum?: number | undefined; maximum?: number | undefined }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

const failureSchema = {
  type: 'object',
  required: ['success', 'error', 'message', 'code'],
  properties: {
    success: { const: false },
    error: { type: 'string' },
    message: { type: 'string' },
    code: { enum: Object.keys(problems) },
  },
}
