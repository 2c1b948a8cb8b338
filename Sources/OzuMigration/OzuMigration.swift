/// Calls with the names and shapes of Haneke, JMImageCache and Nuke, for apps that move to Ozu step by step. Each does what a
/// call of Ozu does; the pages under Documentation/migration say which.
@_exported import Ozu
