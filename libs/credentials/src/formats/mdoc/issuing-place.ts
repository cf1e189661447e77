import { isJsonObject, type JsonObject } from '@app/primitives/json';
import type { CertifiedPlace } from '../../x509/x509-certificate';

const licence = { doctype: 'org.iso.18013.5.1.mDL', nameSpace: 'org.iso.18013.5.1' };

/**
 * What a mobile driving licence says of where it was issued and the certificate of its signer says otherwise (ISO/IEC 18013-5);
 * undefined when nothing. Elements that are not there are no fault.
 */
export function faultOfPlace(
  doctype: string,
  claims: JsonObject,
  { country, stateOrProvince }: CertifiedPlace,
): { readonly pointer: string; readonly message: string } | undefined {
  const elements = doctype === licence.doctype ? claims[licence.nameSpace] : undefined;
  if (!isJsonObject(elements)) return undefined;
  const { issuing_country: inCountry, issuing_jurisdiction: inState } = elements;
  const pointerOf = (element: string): string => `/${licence.nameSpace}/${element}`;
  if (inCountry !== undefined && inCountry !== country) {
    const message = `must be the country (C) of the signer's certificate: ${country ?? 'none'}`;
    return { pointer: pointerOf('issuing_country'), message };
  }
  if (inState !== undefined && stateOrProvince !== undefined && inState !== stateOrProvince) {
    const message = `must be the state or province (ST) of the signer's certificate: ${stateOrProvince}`;
    return { pointer: pointerOf('issuing_jurisdiction'), message };
  }
  return undefined;
}
