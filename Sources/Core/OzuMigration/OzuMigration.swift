/// Calls with the names and shapes of Haneke, JMImageCache and Nuke, for apps that move to Ozu step by step. Each does the same as
/// a call of Ozu; the pages under Documentation/migration name it.
@_exported import Ozu
