import { expect, test } from 'vitest'
import {
  authLimits,
  currentUserFreshMs,
  currentUserKeptMs,
  defaultRole,
} from '@fellowship/schema/auth/auth.limits'
import { addressLine, church } from '@fellowship/schema/church'
import { mapTiles } from '@fellowship/schema/map/map.limits'
import { uploadWindow } from '@fellowship/schema/sftp/upload-window'
import { formatDate } from '@fellowship/schema/dates'
import { elderColumns, elderLimits, elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { timeRangeLabel, toIdentifier } from '@fellowship/schema/testing/identifiers'
import { processLimits, usagePercent } from '@fellowship/schema/processes/processes.contract'
import { cleanUp, fileAgeMinutes, sftpAccount } from '@fellowship/schema/sftp/sftp.limits'
import { downloadName } from '@fellowship/schema/teachings/download-name'
import {
  teachingLimits,
  teachingListFreshMs,
  teachingListKeptMs,
  teachingPage,
} from '@fellowship/schema/teachings/teachings.limits'
import { audioExtensions, maxUploadBytes, uploadTimeoutMs } from '@fellowship/schema/uploads/uploads.limits'
import { downloadTimings } from '../../web/src/features/audio/saved/download-guard.ts'
import {
  adminRedirectMs,
  elderPlaceholders,
  elderScrollTimings,
  mapStylesheetWaitMs,
  popoverTimings,
  reloadDelayMs,
  sftpStatusPollMs,
  tooltipTimings,
  uploadedToastMs,
  uploadTimings,
} from '../../web/src/ui/timings.ts'
import { toastTimings } from '../../web/src/ui/toast.ts'
import { signInRedirectMs } from '../../web/src/lib/sign-in-address.ts'

const seconds = 1_000
const minutes = 60 * seconds
const megabytes = 1024 * 1024

/** The specification's table of business constants and limits, row by row: the value in code, and the specified one. */
const rows: [row: string, code: unknown, specification: unknown][] = [
  ['Sunday service', church().services[0]?.words, 'Every Sunday at 10:00 AM'],
  ['Church address', addressLine(church().address), '28 Criterion Street, Bulls 4818, New Zealand'],
  [
    'Map centre',
    { ...church().map, maxZoom: mapTiles.maxZoom },
    { latitude: -40.17, longitude: 175.39, zoom: 16, maxZoom: 19 },
  ],
  ['Map stylesheet wait', mapStylesheetWaitMs, 2 * seconds],
  [
    'Scroll-to-elder delay',
    elderScrollTimings,
    { homeToAboutMs: 100, aboutToHomeMs: 200, retries: 10, retryMs: 100 },
  ],
  ['Elders grid', [elderColumns, elderPlaceholders], [3, 3]],
  ['Footer version label', church().versionLabel, '7.4.29'],
  [
    'Password minimum',
    [authLimits.passwordMinimum, authLimits.nameMinimumAtRegistration, authLimits.nameMinimumInAdminForms],
    [8, 2, 1],
  ],
  [
    'Column lengths',
    {
      email: authLimits.email,
      password: authLimits.passwordColumn,
      name: authLimits.name,
      userRole: authLimits.role,
      elderRole: elderLimits.role,
      urls: [teachingLimits.audioUrl, elderLimits.imageUrl],
      sessionId: authLimits.sessionId,
    },
    { email: 255, password: 255, name: 255, userRole: 50, elderRole: 100, urls: [500, 500], sessionId: 128 },
  ],
  ['Default role', defaultRole, 'user'],
  ['Teaching page size / increment', teachingPage, { initial: 5, increment: 5 }],
  ['Teaching list cache', [teachingListFreshMs, teachingListKeptMs], [5 * minutes, 10 * minutes]],
  ['Current-user cache', [currentUserFreshMs, currentUserKeptMs], [60 * seconds, 300 * seconds]],
  ['Upload timeout', uploadTimeoutMs, 300_000],
  [
    'Upload banner / success toast / parse-error toast',
    { ...uploadTimings, successToastMs: uploadedToastMs },
    { bannerMs: 60 * seconds, successToastMs: 60 * seconds, parseErrorToastMs: 8 * seconds },
  ],
  ['Upload file', [maxUploadBytes, audioExtensions], [100 * megabytes, ['mp3', 'wav', 'm4a']]],
  [
    'Download file name',
    downloadName(
      { title: `He said: "Hope_v1.0"! ${'x'.repeat(50)}`, speaker: 'John-Paul Smith?', date: '2026-03-15' },
      'mp3',
    ),
    `He_said_Hope_v1.0_${'x'.repeat(32)}_John-Paul_Smith_20260315.mp3`,
  ],
  ['Download debounce / button lock', downloadTimings, { debounceMs: 5 * seconds, lockMs: 2 * seconds }],
  [
    'Elder photo',
    { maxBytes: elderPhoto.maxBytes, types: elderPhoto.types, extensions: elderPhoto.extensions },
    {
      maxBytes: 5 * megabytes,
      types: ['image/jpeg', 'image/png', 'image/webp'],
      extensions: ['jpeg', 'jpg', 'png', 'webp'],
    },
  ],
  ['SFTP password minimum', sftpAccount.passwordMinimum, 8],
  [
    'SFTP upload window',
    [
      uploadWindow().weekday,
      uploadWindow().start,
      uploadWindow().end,
      uploadWindow().timeZone,
      sftpAccount.username,
      sftpStatusPollMs,
    ],
    ['Sunday', '11:00', '14:00', 'Pacific/Auckland', 'uploads', 10 * seconds],
  ],
  ['Monitor file age badge', fileAgeMinutes, { green: 5, yellow: 60 }],
  ["'Clean Old (1h+)'", cleanUp, { olderThanMinutes: 60, directories: ['sftp-staging', 'uploads'] }],
  [
    'Process limit',
    [processLimits, usagePercent],
    [
      { limit: 80, endStraysFrom: 75, watchEveryMs: 5 * minutes },
      { yellow: 70, red: 90 },
    ],
  ],
  [
    'Admin redirect delay',
    { adminMs: adminRedirectMs, unauthorizedMs: signInRedirectMs, reloadMs: reloadDelayMs },
    { adminMs: 1.5 * seconds, unauthorizedMs: 500, reloadMs: 500 },
  ],
  ['Popover', popoverTimings, { widthPx: 384, hideDelayMs: 150, screenMarginPx: 16 }],
  [
    'Toasts',
    toastTimings,
    {
      limit: 1,
      displayMs: 5_000,
      swipeDirection: 'right',
      swipeThresholdPx: 50,
      hotkey: 'F8',
      removalMs: 1_000_000,
    },
  ],
  ['Tooltip', tooltipTimings, { openDelayMs: 700, skipDelayMs: 300 }],
  ['Date format', formatDate('2026-03-05'), '5 March 2026'],
  [
    'Identifier helper',
    [toIdentifier('Sunday 11:00 14:00'), timeRangeLabel('Sunday_11_00_14_00')],
    ['Sunday_11_00_14_00', 'Sunday 11:00–14:00'],
  ],
]

test.each(rows)('%s', (_row, code, specification) => {
  expect(code).toEqual(specification)
})

test('the table has all thirty rows', () => {
  expect(new Set(rows.map(([row]) => row)).size).toBe(30)
})
