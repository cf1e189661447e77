import { type AwsOptions, AwsProvider } from './aws';
import { type AzureOptions, AzureProvider } from './azure';
import { type GoogleOptions, GoogleProvider } from './google';
import { type HttpOptions, HttpProvider } from './http';
import type { KeyProvider } from './provider';
import { type VaultOptions, VaultProvider } from './vault';

export type HttpProviderOptions =
  | ({ readonly type: 'vault' } & VaultOptions)
  | ({ readonly type: 'aws' } & AwsOptions)
  | ({ readonly type: 'azure' } & AzureOptions)
  | ({ readonly type: 'google' } & GoogleOptions)
  | ({ readonly type: 'http' } & HttpOptions);

/** Nothing is sent before the first call. Throws an `Error` that says what to change when the address cannot be used. */
export function openHttpProvider(options: HttpProviderOptions): KeyProvider {
  switch (options.type) {
    case 'vault':
      return new VaultProvider(options);
    case 'aws':
      return new AwsProvider(options);
    case 'azure':
      return new AzureProvider(options);
    case 'google':
      return new GoogleProvider(options);
    case 'http':
      return new HttpProvider(options);
  }
}
