/**
 * The Content Security Policy of a page: no script, style, picture or form but what it names itself, never in a frame.
 * @param allowed directives such as `style-src 'self'`
 */
export function pagePolicy(...allowed: readonly string[]): string {
  return joined(allowed, ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]);
}

/**
 * The policy of a page with a form whose answer leads elsewhere: browsers apply `form-action` to the redirect after a form as
 * well, and would block the way back.
 */
export function formPagePolicy(...allowed: readonly string[]): string {
  return joined(allowed, ["base-uri 'none'", "frame-ancestors 'none'"]);
}

function joined(allowed: readonly string[], always: readonly string[]): string {
  return ["default-src 'none'", ...allowed, ...always].join('; ');
}
