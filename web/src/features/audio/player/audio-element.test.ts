import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { AudioElementProvider } from './audio-element.tsx'

test('is rendered on the server, which has no document', () => {
  const html = renderToString(createElement(AudioElementProvider, null, 'The page'))
  expect(html).toMatch(/^<audio preload="none"><\/audio>The page$/)
})
