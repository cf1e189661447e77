import { ArrayUnique, IsArray, IsBoolean, IsIn, IsString, Matches, ValidateIf } from 'class-validator';
import { IsProviderUrl } from './base-url';
import { loginAuthentications } from './identification-settings';
import { Section, Setting } from './setting';

/** What people may do in the console. */
export const consoleRoles = ['clerk', 'approver', 'designer', 'operator', 'auditor', 'desk', 'administrator'] as const;
export type ConsoleRole = (typeof consoleRoles)[number];

const roleForm = new RegExp(`^(?:${consoleRoles.join('|')})(?:@[^=+]+(?:\\+[^=+]+)*)?=.+$`, 'u');

/** The OpenID provider of the organisation, at which people sign in to the console. */
export class ConsoleOpenIdSettings {
  @Setting({
    description:
      'Issuer of the OpenID provider at which people sign in to the console, such as `https://login.example.edu`. None when empty: the console then asks for an API key. See docs/console.md.',
    kind: 'text',
  })
  @ValidateIf(({ issuer }: ConsoleOpenIdSettings) => issuer !== '')
  @IsProviderUrl()
  readonly issuer: string = '';

  @Setting({
    description:
      'Client id of the console at the provider, where `<URL of the management API>/console/sign-in/callback` is its redirect URI.',
    kind: 'text',
  })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly clientId: string = '';

  @Setting({ description: 'Client secret of the console at the provider.', kind: 'text', secret: true })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly clientSecret: string = '';

  @Setting({
    description:
      'How the console authenticates at the provider: with the secret by `client_secret_basic` or `client_secret_post`, or by `private_key_jwt` with the keys at `/authorize/login/jwks.json` below `SERVICE__APPLICATION_URL`.',
    kind: 'text',
  })
  @IsIn(loginAuthentications, { message: `use ${loginAuthentications.join(', ')}` })
  readonly authentication: (typeof loginAuthentications)[number] = 'client_secret_basic';

  @Setting({
    description:
      'Scopes that are asked of the provider, separated by blanks; with `openid`. Where the provider gives refresh tokens for one only (`offline_access`), name it: roles are then read again every 15 minutes; without a refresh token a session ends after an hour.',
    kind: 'text',
  })
  @Matches(/^(?=(?:.* )?openid(?: |$))[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*$/, {
    message: 'give scopes separated by single blanks, openid among them',
  })
  readonly scope: string = 'openid profile';

  @Setting({
    description:
      'Whether the provider is asked at its UserInfo endpoint what else it knows of the person, such as groups that are not in the ID token.',
    kind: 'boolean',
  })
  @IsBoolean({ message: 'give true or false' })
  readonly userinfo: boolean = true;

  @Setting({
    description: 'The claim that has the groups of a person, or a path to it, as in `realm_access.roles`.',
    kind: 'text',
  })
  @Matches(/^[^\s.]+(?:\.[^\s.]+)*$/u, { message: 'give the name of a claim, or a path with dots' })
  readonly rolesClaim: string = 'groups';

  @Setting({
    description: `Comma-separated roles of groups, as \`<role>=<group>\`, or \`<role>@<template>+<template>=<group>\` for those templates alone. Roles are ${consoleRoles.join(', ')}. When empty, groups with these names have these roles.`,
    kind: 'list',
  })
  @IsArray({ message: 'separate the roles by commas' })
  @Matches(roleForm, { each: true, message: `write each as role=group; roles are ${consoleRoles.join(', ')}` })
  @ArrayUnique({ message: 'give each pair once' })
  readonly roles: readonly string[] = [];

  @Setting({
    description:
      'The claim, or a path to it, that names the tenants whose console a person may enter, and `-` for that of the issuer of the settings. When empty, nobody enters the console of a tenant by signing in.',
    kind: 'text',
  })
  @Matches(/^(?:[^\s.]+(?:\.[^\s.]+)*)?$/u, { message: 'give the name of a claim, or a path with dots' })
  readonly tenantsClaim: string = '';
}

/** Who works with the console. */
export class ConsoleSettings {
  @Section(() => ConsoleOpenIdSettings)
  readonly openid: ConsoleOpenIdSettings = new ConsoleOpenIdSettings();
}

/** What a group gives. */
export interface RoleOfGroup {
  readonly role: ConsoleRole;
  readonly group: string;
  /** For these templates alone; for all when absent. */
  readonly templateIds?: readonly string[];
}

/** The roles of groups, as the settings have them. */
export function rolesOfGroups({ roles }: Pick<ConsoleOpenIdSettings, 'roles'>): readonly RoleOfGroup[] {
  if (roles.length === 0) return consoleRoles.map((role) => ({ role, group: role }));
  return roles.map((written) => {
    const [left = '', ...right] = written.split('=');
    const [role = '', templates] = left.split('@', 2);
    return {
      role: role as ConsoleRole,
      group: right.join('='),
      ...(templates !== undefined && { templateIds: templates.split('+') }),
    };
  });
}
