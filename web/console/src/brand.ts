// How the server calls itself and looks, from the head of the page.

const content = (name: string): string => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

export const brand = content('application-name') || 'Portico';
/** The address of the logo; empty for the mark of Portico. */
export const logo = content('logo');
