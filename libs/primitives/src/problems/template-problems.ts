/** The part of the catalogue about what templates are made of. */
export const templateProblems = {
  'invalid-template-transition': {
    title: 'Invalid Template Transition',
    status: 409,
    remedy:
      'A Draft can be published, archived or deleted, a Published template changed or archived, an Archived one published or deleted.',
    example: 'POST /v0/templates/membership/publish',
  },
  'invalid-image': {
    title: 'Invalid Image',
    status: 400,
    remedy:
      'Send a whole PNG, JPEG or WebP of at most 2,048 pixels a side; `detail` says what the file is. Export drawings such as SVG as PNG.',
    example: 'POST /v0/images Content-Type: image/png <svg/>',
  },
} as const;
