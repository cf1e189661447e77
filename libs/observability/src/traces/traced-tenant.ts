let note: ((tenant: string) => void) | undefined;

/** Called from now on with the tenant of each request, by its id. */
export function onTenant(work: (tenant: string) => void): void {
  note = work;
}

/** Has the span of the present request, if there is one, name its tenant. */
export function traceTenant(tenant: string): void {
  note?.(tenant);
}
