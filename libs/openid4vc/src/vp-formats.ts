import { earlierNames, fullySpecifiedNames } from './algorithm-names';
import { type CredentialFormat } from './credential-configuration';

type Algorithms = readonly string[];

/**
 * `vp_formats_supported` of OpenID4VP 1.0, only for what is asked for. Appendix B.3.4 wants fully specified identifiers
 * for SD-JWTs; those of B.1.3.1 are compared with `alg` headers, so every accepted name stands there.
 */
export function renderVpFormatsSupported(
  formats: readonly CredentialFormat[],
  algorithms: Algorithms,
): Record<string, unknown> {
  return {
    ...(formats.includes('dc+sd-jwt') ? { 'dc+sd-jwt': sdJwtAlgorithms(fullySpecifiedNames(algorithms)) } : {}),
    ...(formats.includes('jwt_vc_json') ? { jwt_vc_json: { alg_values: algorithms } } : {}),
  };
}

/**
 * `vp_formats` of drafts 18 to 26. Only what is asked for, and one member in each object where the draft has one:
 * strictly typed wallets fail on names they do not know.
 */
export function renderVpFormats(formats: readonly CredentialFormat[], accepted: Algorithms): Record<string, unknown> {
  const algorithms = earlierNames(accepted);
  return {
    // Draft 20 §9.1: the format of the credential and the format of the presentation around it.
    ...(formats.includes('jwt_vc_json') ? { jwt_vc_json: { alg: algorithms }, jwt_vp_json: { alg: algorithms } } : {}),
    ...(formats.includes('dc+sd-jwt') ? { 'vc+sd-jwt': sdJwtAlgorithms(algorithms) } : {}),
  };
}

export function sdJwtAlgorithms(algorithms: Algorithms): Record<string, Algorithms> {
  return { 'sd-jwt_alg_values': algorithms, 'kb-jwt_alg_values': algorithms };
}
