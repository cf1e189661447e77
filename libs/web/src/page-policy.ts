/**
 * The Content Security Policy of a page: no script, style, picture or form but what it names itself, never in a frame.
 * @param allowed directives such as `style-src 'self'`
 */
export function pagePolicy(...allowed: readonly string[]): string {
  const always = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
  return ["default-src 'none'", ...allowed, ...always].join('; ');
}
