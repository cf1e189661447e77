import { databasePasswordOf, isUnprotectedDatabase, withDefaultTls } from './database-address';

describe('the URL of a database', () => {
  it.each([
    [
      'postgresql://app:word@db.example:5432/sealwright',
      'postgresql://app:word@db.example:5432/sealwright?sslmode=verify-full',
    ],
    ['postgres://db/sealwright?connect_timeout=5', 'postgres://db/sealwright?connect_timeout=5&sslmode=verify-full'],
    ['postgresql:///sealwright?host=db.example', 'postgresql:///sealwright?host=db.example&sslmode=verify-full'],
    [
      'postgres://db1.example,db2.example:5433/main',
      'postgres://db1.example,db2.example:5433/main?sslmode=verify-full',
    ],
    ['postgres://localhost,db2.example/main', 'postgres://localhost,db2.example/main?sslmode=verify-full'],
  ])('asks for TLS when it leads to another machine: %s', (written, effective) => {
    expect(withDefaultTls(written)).toBe(effective);
    expect(isUnprotectedDatabase(effective)).toBe(false);
  });

  it.each([
    'postgresql://app:word@db.example/sealwright?sslmode=disable',
    'postgresql://app:word@localhost:5432/sealwright',
    'postgresql://app:word@127.0.0.1:5432/sealwright',
    'postgresql://app:word@[::1]:5432/sealwright',
    'postgresql://127.0.0.1:5432,127.0.0.1:5433/sealwright',
    'postgresql://app@%2Fvar%2Frun%2Fpostgresql/sealwright',
    'postgresql:///sealwright?host=/var/run/postgresql',
    './data',
  ])('stays as it is written when it decides itself or stays on this machine: %s', (written) => {
    expect(withDefaultTls(written)).toBe(written);
  });

  it.each([
    ['postgresql://db.example/sealwright?sslmode=disable', true],
    ['postgresql://db.example/sealwright?sslmode=no-verify', true],
    ['postgresql://db.example/sealwright?ssl=0', true],
    ['postgresql://db.example/sealwright?sslmode=require', false],
    ['postgresql://localhost/sealwright', false],
    ['postgresql://localhost,db.example/sealwright', true],
    ['postgresql://db1.example,db2.example/sealwright?sslmode=verify-full', false],
  ])('is unprotected without a checked certificate: %s %s', (written, unprotected) => {
    expect(isUnprotectedDatabase(written)).toBe(unprotected);
  });

  it('has a password, or none', () => {
    expect(databasePasswordOf('postgresql://app:a%40b@db/sealwright')).toBe('a@b');
    expect(databasePasswordOf('postgresql://app:50%@db/sealwright')).toBe('50%');
    expect(databasePasswordOf('postgresql://app@db/sealwright')).toBe('');
    expect(databasePasswordOf('postgresql://app:word@db1:5432,db2:5433/sealwright')).toBe('word');
    expect(databasePasswordOf('./data')).toBe('');
  });
});
