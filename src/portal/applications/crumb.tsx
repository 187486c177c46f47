import type { ComponentChildren } from 'preact';
import type { OwnApplication } from '../../auth/own-applications.js';

/** The way back from a page of an application: its name as a link, then what is between it and the page, then `here`. */
export function Crumb({
  application: { id, name },
  here,
  children,
}: {
  application: Pick<OwnApplication, 'id' | 'name'>;
  here: string;
  /** Links to the pages between. */
  children?: ComponentChildren;
}) {
  return (
    <p class="quiet crumb">
      <a href={`/applications/${id}`}>{name}</a> / {children}
      {children && ' / '}
      {here}
    </p>
  );
}
