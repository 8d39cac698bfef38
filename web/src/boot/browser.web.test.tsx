import { expect, test } from 'vitest'
import { isLibraryMarkup, isOwnScript } from './browser.ts'

test.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload="alert(1)">',
  '<svg/onload=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href=" JavaScript:alert(1)">x</a>',
  '<a style="position:fixed">x</a>',
  '<span class="a" onclick="alert(1)">x</span>',
  '<iframe srcdoc="x">',
  '<style>*{}</style>',
  '<span',
  'a < b <img',
  '<!--><img src=x onerror=alert(1)>',
])('refuses %s', (html) => expect(isLibraryMarkup(html)).toBe(false))

test.each([
  '',
  'Tiles by OpenStreetMap',
  '<span aria-hidden="true">&#215;</span>',
  '<strong>Fellowship</strong><br>28 Criterion Street',
  '<a href="https://www.openstreetmap.org/copyright">OpenStreetMap</a> <span aria-hidden="true">|</span>',
  '<svg viewBox="0 0 44 52"><path d="M1 1z"/></svg>',
])('accepts %s', (html) => expect(isLibraryMarkup(html)).toBe(true))

test('allows scripts of this site only', () => {
  expect(isOwnScript('/service-worker.js')).toBe(true)
  expect(isOwnScript('https://evil.example/x.js')).toBe(false)
  expect(isOwnScript('data:text/javascript,1')).toBe(false)
})
