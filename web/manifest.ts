import { audioExtensions, audioMime } from '@fellowship/schema/uploads/uploads.limits'
import { uploadFromShare } from '@fellowship/sync/client/uploads/upload-share-address'
import type { ManifestOptions } from 'vite-plugin-pwa'

const views = {
  library: 'The whole library, searched at every letter',
  saved: 'Teaching saved on the device plays without signal',
  home: 'The fellowship, its service times and the way there',
}

const pictures = (form_factor: 'narrow' | 'wide', sizes: string) =>
  Object.entries(views).map(([name, label]) => ({
    src: `/screenshots/${form_factor}-${name}.png`,
    sizes,
    type: 'image/png',
    form_factor,
    label,
  }))

/** The web app manifest. */
export const manifest: Partial<ManifestOptions> = {
  // Never change it: if the id changes, browsers treat the site as a second app.
  id: '/',
  // The server fills in what belongs to one church: names, language, colour.
  name: 'Site',
  short_name: 'Site',
  description: 'Teaching to carry with you: search the whole library and listen without signal.',
  start_url: '/teaching',
  scope: '/',
  display: 'standalone',
  lang: 'en',
  dir: 'ltr',
  theme_color: '#000000',
  background_color: '#fbf8f2',
  categories: ['education', 'lifestyle', 'books'],
  icons: [
    { src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
    { src: '/icons/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
    { src: '/icons/maskable-192.png', sizes: '192x192', type: 'image/png', purpose: 'maskable' },
    { src: '/icons/maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    { src: '/icons/monochrome-512.png', sizes: '512x512', type: 'image/png', purpose: 'monochrome' },
  ],
  // Made by infra/dev/screenshots.ts.
  screenshots: [...pictures('narrow', '780x1688'), ...pictures('wide', '1280x800')],
  shortcuts: [
    { name: 'Latest teaching', url: '/teaching', icons: [{ src: '/icons/icon-192.png', sizes: '192x192' }] },
    {
      name: 'Saved on this device',
      url: '/teaching?show=saved',
      icons: [{ src: '/icons/icon-192.png', sizes: '192x192' }],
    },
    {
      name: 'Search',
      url: '/teaching?focus=search',
      icons: [{ src: '/icons/icon-192.png', sizes: '192x192' }],
    },
    {
      name: 'Upload',
      url: '/teaching?focus=upload',
      icons: [{ src: '/icons/icon-192.png', sizes: '192x192' }],
    },
  ],
  // The service worker answers it, even offline and without a session.
  share_target: {
    action: uploadFromShare.path,
    method: 'POST',
    enctype: 'multipart/form-data',
    params: {
      files: [
        { name: uploadFromShare.field, accept: ['audio/*', ...audioExtensions.map((each) => `.${each}`)] },
      ],
    },
  },
  file_handlers: [
    {
      action: '/teaching?focus=upload',
      accept: Object.fromEntries(audioExtensions.map((each) => [audioMime[each], [`.${each}`]])),
    },
  ],
  launch_handler: { client_mode: 'focus-existing' },
}
