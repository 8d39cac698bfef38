import { expect, test } from 'vitest'
import { usageOf } from './process-monitor.admin.tsx'

test.each([
  [0, 'green', 'Normal: Process usage healthy'],
  [55, 'green', 'Normal: Process usage healthy'],
  [56, 'yellow', 'Warning: High process usage'],
  [71, 'yellow', 'Warning: High process usage'],
  [72, 'red', 'Critical: Process limit approaching'],
  [90, 'red', 'Critical: Process limit approaching'],
])('%i of 80', (total, colour, message) => {
  expect(usageOf(total, 80)).toMatchObject({ colour, message })
})
