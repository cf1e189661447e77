import tseslint from 'typescript-eslint';
import { walls } from './eslint.walls.cjs';

/** Globals of browsers that pages for people use. */
const inBrowsers = [
  'DOMParser',
  'DigitalCredential',
  'EventSource',
  'URL',
  'URLSearchParams',
  'document',
  'fetch',
  'history',
  'location',
  'navigator',
  'setTimeout',
];

export default tseslint.config(
  { ignores: ['dist/**', 'coverage/**', 'data/**', '**/*.js', '**/*.mjs', '!libs/pages/src/files/*.js'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { project: ['tsconfig.json', 'apps/console/tsconfig.json'], tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'max-lines': ['error', { max: 400 }],
      'no-duplicate-imports': 'error',
      // Nest declares its option bags as classes and wants plain objects.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  // Generated. An ignored file that is named on a command line is a warning.
  {
    files: ['examples/portal/management-api.ts'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { 'max-lines': 'off' },
  },
  // What browsers load of the pages for people, as it stands.
  {
    files: ['libs/pages/src/files/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: Object.fromEntries(inBrowsers.map((name) => [name, 'readonly'])) },
    rules: { 'no-undef': 'error' },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts'],
    // Of the rules that ask for types, those that find a test which does not wait for what it states; the others cost too much here.
    rules: {
      ...tseslint.configs.disableTypeChecked.rules,
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
    },
  },
  ...walls,
);
